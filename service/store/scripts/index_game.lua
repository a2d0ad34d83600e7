#!lua
-- Announce what the next commit does to a game: add the game to the lists where it will belong, remove
-- entries that are obsolete, and add the event to the feed.
--
-- KEYS[1]  the feed                stream
-- KEYS[2]  the first list          sorted set: game id (16 bytes) by unix milliseconds; others follow
-- ARGV[1]  how many lists get the game; the others have an obsolete entry each
-- ARGV[2]  game id                 16 bytes
-- ARGV[3]  time of its newest event  unix milliseconds, decimal
-- ARGV[4]  lifetime of such games  milliseconds, decimal
-- ARGV[5]  event number            decimal
-- ARGV[6]  the event's nonce
-- ARGV[7]  what the feed tells of it  JSON
-- ARGV[8]  how many events the feed keeps, decimal; a few more for the server's convenience
-- ARGV[9]  lifetime of the feed    milliseconds, decimal
-- ARGV[10] feed channel
-- ARGV[11] obsolete entry          game id, then its time; those of the other lists follow
--
-- Games older than the lifetime have expired, and so have their entries. An obsolete entry stays if
-- it has been renewed. Running twice repeats the event in the feed, and changes nothing else.
--
-- Returns the id of the event in the feed, which starts with the server's time in milliseconds.

local OBSOLETE = 11

local count = tonumber(ARGV[1])
for i = 2, count + 1 do
  redis.call('ZADD', KEYS[i], ARGV[3], ARGV[2])
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', '(' .. (tonumber(ARGV[3]) - tonumber(ARGV[4])))
  redis.call('PEXPIRE', KEYS[i], ARGV[4])
end
for i = count + 2, #KEYS do
  local at = OBSOLETE + 2 * (i - count - 2)
  local time = redis.call('ZSCORE', KEYS[i], ARGV[at])
  if time and tonumber(time) <= tonumber(ARGV[at + 1]) then
    redis.call('ZREM', KEYS[i], ARGV[at])
  end
end

local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[8], '*',
  'g', ARGV[2], 'n', ARGV[5], 'x', ARGV[6], 'b', ARGV[7])
redis.call('PEXPIRE', KEYS[1], ARGV[9])
redis.call('SPUBLISH', ARGV[10], id)
return id
