#!lua
-- Increment a counter whose time window starts with the first increment.
--
-- KEYS[1]  the counter    string
-- ARGV[1]  window         seconds, decimal
-- ARGV[2]  amount         decimal
--
-- Returns the count.

local count = redis.call('INCRBY', KEYS[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < 0 then
  redis.call('EXPIRE', KEYS[1], ARGV[1])
end
return count
