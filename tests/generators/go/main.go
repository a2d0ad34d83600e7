// Plays a whole game through the generated client, and prints the game's id.
package main

import (
	"context"
	"fmt"
	"os"

	qwirkle "example.com/qwirkle"
)

type table struct {
	client *qwirkle.APIClient
	id     string
	tokens []string
}

func as(token string) context.Context {
	return context.WithValue(context.Background(), qwirkle.ContextAccessToken, token)
}

func must[T any](value *T, _ any, err error) *T {
	if err != nil {
		panic(err)
	}
	return value
}

func open(client *qwirkle.APIClient) *table {
	request := qwirkle.NewCreateGameRequest()
	request.SetPlayers([]qwirkle.PlayerRequest{
		*qwirkle.NewPlayerRequest("Ada"), *qwirkle.NewPlayerRequest("Ben"),
	})
	request.SetAutoBid(true)
	made := must(client.TableAPI.CreateGame(context.Background()).CreateGameRequest(*request).Execute())
	must(client.TableAPI.Deal(as(made.HostToken), made.Game.Id).Execute())
	seats := &table{client: client, id: made.Game.Id}
	for _, player := range made.Players {
		seats.tokens = append(seats.tokens, player.GetToken())
	}
	return seats
}

func (t *table) takeTurn(seat int32) {
	player := as(t.tokens[seat])
	playing := t.client.PlayingAPI
	legal := must(playing.ListLegalPlays(player, t.id).Limit(1).Sort("points").Execute())
	if len(legal.Plays) > 0 {
		request := qwirkle.NewPlayRequest(legal.Plays[0].Placements)
		must(playing.Play(player, t.id).PlayRequest(*request).Execute())
	} else if legal.MayExchange > 0 {
		hand := must(playing.GetHand(player, t.id).Execute())
		request := qwirkle.NewExchangeRequest(hand.Tiles[:1])
		must(playing.Exchange(player, t.id).ExchangeRequest(*request).Execute())
	} else {
		must(playing.PassTurn(player, t.id).Execute())
	}
}

func (t *table) leaders() []int32 {
	sheet := must(t.client.WatchingAPI.GetScore(context.Background(), t.id).Execute())
	var best []int32
	var most int32
	for _, player := range sheet.Players {
		if player.Score > most {
			most, best = player.Score, nil
		}
		if player.Score == most {
			best = append(best, player.Seat)
		}
	}
	return best
}

func main() {
	settings := qwirkle.NewConfiguration()
	settings.Servers = qwirkle.ServerConfigurations{{URL: os.Args[1]}}
	table := open(qwirkle.NewAPIClient(settings))
	for {
		game := must(table.client.WatchingAPI.GetGame(context.Background(), table.id).Execute())
		if game.Status == qwirkle.FINISHED {
			if fmt.Sprint(game.Winners) != fmt.Sprint(table.leaders()) {
				panic("these are not the winners")
			}
			fmt.Println(table.id)
			return
		}
		turn := game.GetTurn()
		table.takeTurn(turn.GetSeat())
	}
}
