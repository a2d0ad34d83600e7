#!lua
-- Acknowledge a webhook message and remove it from the stream; delay it if it is to be retried.
--
-- KEYS[1]  the messages           stream, read by the group `workers`
-- KEYS[2]  the delayed messages   sorted set: fields of a message as a JSON array, by unix ms
-- ARGV[1]  id in the stream
-- ARGV[2]  when to retry          unix milliseconds, decimal; absent if it is done
-- ARGV[3]  failed attempts        decimal; absent if it is done
--
-- Returns 1, or 0 if it was removed before.

local message = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not message then
  return 0
end
redis.call('XACK', KEYS[1], 'workers', ARGV[1])
redis.call('XDEL', KEYS[1], ARGV[1])
if ARGV[2] then
  local fields = message[2]
  for i = 1, #fields, 2 do
    if fields[i] == 'tries' then
      fields[i + 1] = ARGV[3]
    end
  end
  redis.call('ZADD', KEYS[2], ARGV[2], cjson.encode(fields))
end
return 1
