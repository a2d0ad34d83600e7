#!lua
-- Count a table among those of the last while, if there is room for one more.
--
-- KEYS[1]  the tables     sorted set: id by unix milliseconds
-- ARGV[1]  now            unix milliseconds, decimal
-- ARGV[2]  the while      milliseconds, decimal
-- ARGV[3]  most           decimal
-- ARGV[4]  id
--
-- Returns 1 if it is counted, also if it was already, else 0.

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', tonumber(ARGV[1]) - tonumber(ARGV[2]))
if redis.call('ZSCORE', KEYS[1], ARGV[4]) then
  return 1
end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
