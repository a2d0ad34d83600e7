#!lua
-- Add an open table to the lobby, just before the commit that opens it, or because somebody at it
-- was seen.
--
-- KEYS[1]  the tables       hash: game id (16 bytes) to version, unix ms, for whom; see below
-- KEYS[2]  all of them      sorted set: game id by when it was created (unix ms)
-- KEYS[3]  those to match   the same, of the tables with the same turn time
-- ARGV[1]  game id          16 bytes
-- ARGV[2]  created          unix milliseconds, decimal
-- ARGV[3]  version          that the commit leads to, decimal
-- ARGV[4]  for whom         the turn time of those who may be seated here, or `-`
-- ARGV[5]  time to live     of the lobby if nothing more happens in it, milliseconds, decimal
--
-- Returns the time in unix milliseconds by this server's clock.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local version = tonumber(string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^%d+') or 0)
version = math.max(version, tonumber(ARGV[3]))
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f %.0f %s', version, now, ARGV[4]))
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
if ARGV[4] ~= '-' then
  redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
end
for _, key in ipairs(KEYS) do
  redis.call('PEXPIRE', key, ARGV[5])
end
return now
