#!lua
-- Count a member in each of these time windows, if all of them have room for it.
--
-- KEYS     what each window counts    sorted set: member by unix milliseconds
-- ARGV[1]  now                        unix milliseconds, decimal
-- ARGV[2]  length of the windows      milliseconds, decimal
-- ARGV[3]  member
-- ARGV[4]  limit of the first window  decimal; those of the others follow
--
-- Returns {0, 0} if it is counted, now or before, else the number of the last key that is full and
-- the milliseconds until it has room again.

for _, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', tonumber(ARGV[1]) - tonumber(ARGV[2]))
end
if redis.call('ZSCORE', KEYS[1], ARGV[3]) then
  return {0, 0}
end
for number = #KEYS, 1, -1 do
  if redis.call('ZCARD', KEYS[number]) >= tonumber(ARGV[3 + number]) then
    local oldest = redis.call('ZRANGE', KEYS[number], 0, 0, 'WITHSCORES')[2] or ARGV[1]
    return {number, math.max(1, tonumber(oldest) + tonumber(ARGV[2]) - tonumber(ARGV[1]))}
  end
end
for _, key in ipairs(KEYS) do
  local before = redis.call('ZSCORE', key, ARGV[3])
  if before then
    -- Settled in the first window, by settle_member.lua, so it is another one of the same name.
    redis.call('ZADD', key, before, ARGV[3] .. ' ' .. before)
  end
  redis.call('ZADD', key, ARGV[1], ARGV[3])
  redis.call('PEXPIRE', key, ARGV[2])
end
return {0, 0}
