#!lua flags=no-writes
-- Read a part of a feed.
--
-- KEYS[1]  the feed       stream
-- ARGV[1]  after          id of the last event that was read; empty to start with the oldest one
-- ARGV[2]  at most        decimal; 0 to find only the end
--
-- Returns {whether events after `after` are lost (1) or not (0), id of the newest event, the server's
-- time in unix milliseconds, events {id, fields}}. They are lost if the feed has removed them to
-- stay short, or if the server has lost its newest data.

local function parts(id)
  local time, number = string.match(id, '^(%d+)%-(%d+)$')
  return tonumber(time), tonumber(number)
end

local function is_before(id, other)
  local time, number = parts(id)
  local other_time, other_number = parts(other)
  return time < other_time or time == other_time and number < other_number
end

local newest, oldest, removed = '0-0', nil, false
if redis.call('EXISTS', KEYS[1]) == 1 then
  local told = redis.call('XINFO', 'STREAM', KEYS[1])
  local about = {}
  for i = 1, #told, 2 do
    about[told[i]] = told[i + 1]
  end
  newest = about['last-generated-id']
  oldest = about['first-entry'] and about['first-entry'][1]
  removed = about['entries-added'] > about['length']
end

local lost = 0
if ARGV[1] ~= '' then
  if is_before(newest, ARGV[1]) or removed and oldest and is_before(ARGV[1], oldest) then
    lost = 1
  end
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local events = {}
if tonumber(ARGV[2]) > 0 and lost == 0 then
  local from = ARGV[1] == '' and '-' or '(' .. ARGV[1]
  events = redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', ARGV[2])
end
return {lost, newest, now, events}
