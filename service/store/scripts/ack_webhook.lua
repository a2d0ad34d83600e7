#!lua
-- Acknowledge a report and remove it from the stream; delay it if it is to be retried.
--
-- KEYS[1]  the reports            stream, read by the group `workers`
-- KEYS[2]  the delayed reports    sorted set: fields of a report as a JSON array, by unix ms
-- KEYS[3]  the outcomes           hash: outcome to count
-- ARGV[1]  id in the stream
-- ARGV[2]  outcome                to count; empty for none
-- ARGV[3]  the report             as a JSON array; empty if it is not to be retried
-- ARGV[4]  when to retry          unix milliseconds, decimal
--
-- Returns 1, or 0 if it was removed before.

redis.call('XACK', KEYS[1], 'workers', ARGV[1])
if redis.call('XDEL', KEYS[1], ARGV[1]) == 0 then
  return 0
end
if ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
end
if ARGV[2] ~= '' then
  redis.call('HINCRBY', KEYS[3], ARGV[2], 1)
end
return 1
