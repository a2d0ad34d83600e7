#!lua flags=allow-oom
-- Remove a game and tell those who watch it. Allowed on a full server: it makes room.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the log        list
-- KEYS[3]  the retries    hash
-- KEYS[4]  the removal    string, for a minute: the nonce of the deletion
-- KEYS[5]  the renewals   string
-- ARGV[1]  news channel
-- ARGV[2]  nonce
-- ARGV[3]  version        decimal; -1 deletes whatever version there is, 0 none
--
-- Returns -1 if the game is removed, else the version it has (0: no such game).

local REMEMBERED_MS = 60000

local version = redis.call('LLEN', KEYS[2])
if version == 0 then
  -- A deletion sent again after a lost answer finds its own nonce. That is written again, since
  -- a server waits only for replicas of what this connection wrote.
  local nonce = redis.call('GET', KEYS[4])
  redis.call('SET', KEYS[4], nonce or '', 'PX', REMEMBERED_MS)
  return nonce == ARGV[2] and -1 or 0
end
if tonumber(ARGV[3]) >= 0 and version ~= tonumber(ARGV[3]) then
  return version
end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[5])
redis.call('SET', KEYS[4], ARGV[2], 'PX', REMEMBERED_MS)
redis.call('SPUBLISH', ARGV[1], 'deleted')
return -1
