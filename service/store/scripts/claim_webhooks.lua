#!lua
-- Claim webhook messages for one worker: those that are due for a retry, those that another worker abandoned,
-- and new ones.
--
-- KEYS[1]  the messages           stream, read by the group `workers`
-- KEYS[2]  the delayed messages   sorted set: fields of a message as a JSON array, by unix ms
-- ARGV[1]  worker                 its name in the group
-- ARGV[2]  now                    unix milliseconds, decimal
-- ARGV[3]  at most
-- ARGV[4]  abandoned after        milliseconds without activity; empty to claim no abandoned ones
-- ARGV[5]  held messages          ids in the stream that the worker is working on, joined by spaces
--
-- Returns {messages {id, fields}, when the next delayed one is due or nil}.

local DAY_MS = 86400000

if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('XGROUP', 'CREATE', KEYS[1], 'workers', '0', 'MKSTREAM')
end

for id in string.gmatch(ARGV[5], '%S+') do
  -- Extends the claim; otherwise the message would count as abandoned.
  redis.call('XCLAIM', KEYS[1], 'workers', ARGV[1], 0, id, 'JUSTID')
end

local most = tonumber(ARGV[3])
local due = redis.call('ZRANGE', KEYS[2], '-inf', ARGV[2], 'BYSCORE', 'LIMIT', 0, most)
for _, member in ipairs(due) do
  local read, fields = pcall(cjson.decode, member)
  local added = read and type(fields) == 'table'
    and redis.pcall('XADD', KEYS[1], '*', unpack(fields))
  if type(added) ~= 'string' then
    -- Damaged. The worker that claims it logs that and acknowledges it.
    redis.call('XADD', KEYS[1], '*', 'damaged', member)
  end
  redis.call('ZREM', KEYS[2], member)
end

local messages = {}
if most > 0 and ARGV[4] ~= '' then
  messages = redis.call('XAUTOCLAIM', KEYS[1], 'workers', ARGV[1], ARGV[4], '0', 'COUNT', most)[2]
end
if #messages < most then
  local read = redis.call('XREADGROUP', 'GROUP', 'workers', ARGV[1], 'COUNT', most - #messages,
    'STREAMS', KEYS[1], '>')
  for _, message in ipairs(read and read[1][2] or {}) do
    messages[#messages + 1] = message
  end
end

for _, fields in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], 'workers')) do
  local about = {}
  for i = 1, #fields, 2 do
    about[fields[i]] = fields[i + 1]
  end
  if about['pending'] == 0 and about['idle'] > DAY_MS then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], 'workers', about['name'])
  end
end
return {messages, redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2] or false}
