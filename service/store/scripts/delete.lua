#!lua flags=allow-oom
-- Delete a game and notify its watchers. Allowed on a full server, because it frees memory.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the log        list
-- KEYS[3]  the entries    hash: idempotency key to entry
-- KEYS[4]  the deletion   string, for a minute: its nonce
-- ARGV[1]  game channel
-- ARGV[2]  nonce          empty if replicas need not confirm anything
-- ARGV[3]  expected stamp of the state; empty if no game should exist
-- ARGV[4]  not after      unix milliseconds, decimal; empty if it may happen at any time
--
-- Returns -1 if the game is deleted, else its version (0: no such game). A deletion that comes too
-- late is refused like one whose game has changed: it must be announced again.

local STAMP = 16
local KEEP_NONCE_MS = 60000

if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) < 3 then
  if redis.call('DEL', KEYS[1], KEYS[2], KEYS[3]) > 0 then
    -- The server had evicted a part of the game; now the rest is deleted.
    redis.call('SPUBLISH', ARGV[1], 'deleted')
  end
  -- A deletion sent again after a lost answer finds its own nonce. It is written again, because
  -- WAIT covers only what this connection has written.
  local nonce = redis.call('GET', KEYS[4])
  if ARGV[2] ~= '' then
    redis.call('SET', KEYS[4], nonce or '', 'PX', KEEP_NONCE_MS)
  end
  return nonce == ARGV[2] and -1 or 0
end
local time = redis.call('TIME')
local late = ARGV[4] ~= '' and time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(ARGV[4])
if late or redis.call('GETRANGE', KEYS[1], 0, STAMP - 1) ~= ARGV[3] then
  return redis.call('LLEN', KEYS[2])
end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
redis.call('SET', KEYS[4], ARGV[2], 'PX', KEEP_NONCE_MS)
redis.call('SPUBLISH', ARGV[1], 'deleted')
return -1
