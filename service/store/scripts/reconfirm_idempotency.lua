#!lua
-- Write an idempotency entry again unchanged, so that WAIT on this connection covers it and what was
-- written with it.
--
-- KEYS[1]  the entries    hash: idempotency key to entry
-- ARGV[1]  idempotency key
-- ARGV[2]  fingerprint    of the request
--
-- Returns 1, or 0 if there is no such entry.

local entry = redis.call('HGET', KEYS[1], ARGV[1])
if not entry or string.sub(entry, 1, #ARGV[2]) ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], entry)
return 1
