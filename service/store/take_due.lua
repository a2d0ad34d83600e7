#!lua
-- Lend games that are due to one worker; a loan that nobody settles ends by itself.
--
-- KEYS[1]  the games to look at   sorted set: game id by unix ms
-- ARGV[1]  now                    unix milliseconds, decimal
-- ARGV[2]  loan ends              unix milliseconds, decimal
-- ARGV[3]  at most
--
-- Returns {ids, when the next is due or nil}.

local ids = redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[3])
for _, id in ipairs(ids) do
  redis.call('ZADD', KEYS[1], ARGV[2], id)
end
return {ids, redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or false}
