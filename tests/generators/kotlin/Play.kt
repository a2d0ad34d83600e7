import org.openapitools.client.apis.PlayingApi
import org.openapitools.client.apis.TableApi
import org.openapitools.client.apis.WatchingApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.models.*

/** Plays a whole game through the generated client, and prints the game's id. */
class Table(private val base: String) {
    private val watching = WatchingApi(base)
    private val made =
        TableApi(base).createGame(
            CreateGameRequest(players = listOf(PlayerRequest("Ada"), PlayerRequest("Ben")), autoBid = true),
        )
    val id = made.game.id

    fun deal() = speakingAs(made.hostToken) { TableApi(base).deal(id) }

    fun game() = watching.getGame(id)

    fun takeTurn(seat: Int) = speakingAs(made.players[seat].token!!) {
        val playing = PlayingApi(base)
        val legal = playing.listLegalPlays(id, limit = 1, sort = PlayingApi.SortListLegalPlays.points)
        if (legal.plays.isNotEmpty()) {
            playing.play(id, PlayRequest(legal.plays[0].placements))
        } else if (legal.mayExchange > 0) {
            playing.exchange(id, ExchangeRequest(playing.getHand(id).tiles.take(1)))
        } else {
            playing.passTurn(id)
        }
    }

    fun leaders(): List<Int> {
        val players = watching.getScore(id).players
        val most = players.maxOf { it.score }
        return players.filter { it.score == most }.map { it.seat }
    }

    /** The generated clients share one token. */
    private fun <T> speakingAs(token: String, act: () -> T): T {
        ApiClient.accessToken = token
        return try { act() } finally { ApiClient.accessToken = null }
    }
}

fun main(arguments: Array<String>) {
    val table = Table(arguments[0])
    table.deal()
    while (table.game().status != GameStatus.finished) {
        table.takeTurn(table.game().turn!!.seat!!)
    }
    check(table.game().winners == table.leaders()) { "these are not the winners" }
    println(table.id)
    kotlin.system.exitProcess(0) // the pool of connections would keep it running for a minute
}
