#!lua
-- Say when a game that was looked at is to be looked at again.
--
-- KEYS[1]  the games to look at   sorted set: game id by unix ms
-- KEYS[2]  the versions awaited   hash: game id to version (decimal), a blank, unix ms
-- ARGV[1]  game id
-- ARGV[2]  version seen           decimal; 0 if there is no such game
-- ARGV[3]  when to look again     unix milliseconds, decimal; empty for never
-- ARGV[4]  now                    unix milliseconds, decimal
--
-- Returns 1, or 0 if a commit was announced that the looker did not see yet: it may still come,
-- and then the look counts for nothing.

local FORGOTTEN_MS = 60000
local SOONEST_MS = 5
local LATEST_MS = 1000

local now = tonumber(ARGV[4])
local awaited = redis.call('HGET', KEYS[2], ARGV[1])
local version, at = string.match(awaited or '', '^(%d+) (%d+)$')

if version and tonumber(version) > tonumber(ARGV[2]) then
  local age = now - tonumber(at)
  if age < FORGOTTEN_MS then
    local wait = math.max(SOONEST_MS, math.min(LATEST_MS, age))
    redis.call('ZADD', KEYS[1], string.format('%.0f', now + wait), ARGV[1])
    return 0
  end
end

if ARGV[3] == '' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
end
return 1
