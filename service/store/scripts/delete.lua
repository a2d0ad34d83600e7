#!lua flags=allow-oom
-- Remove a game and tell those who watch it. Allowed on a full server: it makes room.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the log        list
-- KEYS[3]  the retries    hash
-- KEYS[4]  the removal    string, for a minute: the nonce of the deletion
-- ARGV[1]  news channel
-- ARGV[2]  nonce          empty if nothing has to be confirmed by replicas
-- ARGV[3]  expected stamp of the state; empty where there should be no game
--
-- Returns -1 if the game is removed, else the version it has (0: no such game).

local STAMP = 16
local REMEMBERED_MS = 60000

if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) < 3 then
  if redis.call('DEL', KEYS[1], KEYS[2], KEYS[3]) > 0 then
    -- The server had evicted a part of the game; now all of it is gone.
    redis.call('SPUBLISH', ARGV[1], 'deleted')
  end
  -- A deletion sent again after a lost answer finds its own nonce. That is written again, since
  -- a server waits only for replicas of what this connection wrote.
  local nonce = redis.call('GET', KEYS[4])
  if ARGV[2] ~= '' then
    redis.call('SET', KEYS[4], nonce or '', 'PX', REMEMBERED_MS)
  end
  return nonce == ARGV[2] and -1 or 0
end
if redis.call('GETRANGE', KEYS[1], 0, STAMP - 1) ~= ARGV[3] then
  return redis.call('LLEN', KEYS[2])
end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
redis.call('SET', KEYS[4], ARGV[2], 'PX', REMEMBERED_MS)
redis.call('SPUBLISH', ARGV[1], 'deleted')
return -1
