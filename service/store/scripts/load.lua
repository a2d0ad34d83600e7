#!lua flags=no-writes
-- Load a game: its state, the nonce of its newest event, and an entry and events if asked for.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the log        list
-- KEYS[3]  the entries    hash: idempotency key to entry
-- ARGV[1]  idempotency key, empty for none
-- ARGV[2]  first          index of the first event to load, from 0; absent for none
-- ARGV[3]  last           index of the last event to load; -1 for all
--
-- Returns {state, length of the log, nonce of its newest event, entry or nil, events oldest first},
-- each as it is stored; nil if there is no such game. A game without one of its keys (the server
-- evicted it) no longer exists.

local NONCE = 8

if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) < 3 then
  return false
end
return {
  redis.call('GET', KEYS[1]),
  redis.call('LLEN', KEYS[2]),
  string.sub(redis.call('LINDEX', KEYS[2], -1), 1, NONCE),
  ARGV[1] ~= '' and redis.call('HGET', KEYS[3], ARGV[1]),
  ARGV[2] and redis.call('LRANGE', KEYS[2], ARGV[2], ARGV[3]) or {}
}
