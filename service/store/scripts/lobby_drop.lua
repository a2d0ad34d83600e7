#!lua
-- Remove a table from the lobby that is not open, unless a commit may still open it.
--
-- KEYS[1]  the tables       hash, as in lobby_add.lua
-- KEYS[2]  all of them      sorted set: game id by when it was created (unix ms)
-- ARGV[1]  game id          16 bytes
-- ARGV[2]  loaded version   decimal; 0 if there is no such game
-- ARGV[3]  how long a commit may take after it was announced, milliseconds, decimal
--
-- Those to match follow: an id that the hash does not have is removed by lobby_match.lua.
-- Returns 1, or 0 if the table stays.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local version, at = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^(%d+) (%d+)')
if version and tonumber(version) > tonumber(ARGV[2]) and now - at <= tonumber(ARGV[3]) then
  return 0
end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
