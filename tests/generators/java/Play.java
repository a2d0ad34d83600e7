import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.PlayingApi;
import org.openapitools.client.api.TableApi;
import org.openapitools.client.api.WatchingApi;
import org.openapitools.client.model.*;

/** Plays a whole game through the generated client, and prints the game's id. */
public class Play {
  private final String base;
  private final WatchingApi watching;
  private String id;
  private List<String> tokens;

  Play(String base) {
    this.base = base;
    this.watching = new WatchingApi(as(null));
  }

  private ApiClient as(String token) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(base);
    if (token != null) {
      client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    }
    return client;
  }

  void open() throws ApiException {
    CreateGameRequest request =
        new CreateGameRequest()
            .addPlayersItem(new PlayerRequest().name("Ada"))
            .addPlayersItem(new PlayerRequest().name("Ben"))
            .autoBid(true);
    CreatedGame made = new TableApi(as(null)).createGame(request, null, null);
    id = made.getGame().getId();
    tokens = made.getPlayers().stream().map(SeatToken::getToken).toList();
    new TableApi(as(made.getHostToken())).deal(id, null, null, null, null);
  }

  Game game() throws ApiException {
    return watching.getGame(id, null, null);
  }

  void takeTurn(int seat) throws ApiException {
    PlayingApi playing = new PlayingApi(as(tokens.get(seat)));
    LegalPlays legal = playing.listLegalPlays(id, 1, "points", null, null);
    if (!legal.getPlays().isEmpty()) {
      List<Placement> placements = legal.getPlays().get(0).getPlacements();
      playing.play(id, new PlayRequest().placements(placements), null, null, null);
    } else if (legal.getMayExchange() > 0) {
      List<Tile> tiles = playing.getHand(id, null, null).getTiles().subList(0, 1);
      playing.exchange(id, new ExchangeRequest().tiles(tiles), null, null, null);
    } else {
      playing.passTurn(id, null, null, null);
    }
  }

  List<Integer> leaders() throws ApiException {
    var players = watching.getScore(id, null, null, null, null).getPlayers();
    int most = players.stream().mapToInt(player -> player.getScore()).max().getAsInt();
    return players.stream()
        .filter(player -> player.getScore() == most)
        .map(player -> player.getSeat())
        .toList();
  }

  public static void main(String[] arguments) throws ApiException {
    Play table = new Play(arguments[0]);
    table.open();
    while (table.game().getStatus() != GameStatus.FINISHED) {
      table.takeTurn(table.game().getTurn().getSeat());
    }
    if (!table.leaders().equals(table.game().getWinners())) {
      throw new IllegalStateException("these are not the winners");
    }
    System.out.println(table.id);
  }
}
