#!lua
-- Add a game to the lists where the next commit makes it belong, and remove entries that are obsolete.
--
-- KEYS     the lists               sorted sets: game id (16 bytes) by unix milliseconds
-- ARGV[1]  how many of them get the game; the others have an obsolete entry each
-- ARGV[2]  game id                 16 bytes
-- ARGV[3]  time of its newest event  unix milliseconds, decimal
-- ARGV[4]  lifetime of such games  milliseconds, decimal
-- ARGV[5]  obsolete entry          game id, then its time; those of the other lists follow
--
-- Games older than the lifetime have expired, and so have their entries. An obsolete entry stays if
-- it has been renewed. Running twice changes nothing.

local count = tonumber(ARGV[1])
for i = 1, count do
  redis.call('ZADD', KEYS[i], ARGV[3], ARGV[2])
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', '(' .. (tonumber(ARGV[3]) - tonumber(ARGV[4])))
  redis.call('PEXPIRE', KEYS[i], ARGV[4])
end
for i = count + 1, #KEYS do
  local at = 5 + 2 * (i - count - 1)
  local time = redis.call('ZSCORE', KEYS[i], ARGV[at])
  if time and tonumber(time) <= tonumber(ARGV[at + 1]) then
    redis.call('ZREM', KEYS[i], ARGV[at])
  end
end
return 1
