#!lua
-- Write something that changes nothing after a request that was remembered, so that replicas can
-- confirm what it did.
--
-- KEYS[1]  the retries    hash
-- ARGV[1]  retry key
-- ARGV[2]  fingerprint    of the request
--
-- Returns 1, or 0 if that request is not remembered.

local entry = redis.call('HGET', KEYS[1], ARGV[1])
if not entry or string.sub(entry, 1, #ARGV[2]) ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], entry)
return 1
