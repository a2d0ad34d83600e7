#!lua
-- End the loan of a game, and say when the game is to be looked at again.
--
-- KEYS[1]  the games to look at   sorted set: game id by unix ms, or by its place among those that
--                                 are due at once
-- KEYS[2]  the versions awaited   hash: game id to version (decimal), a blank, unix ms
-- KEYS[3]  the loans              hash: game id to when it ends, a blank, who has it
-- ARGV[1]  game id
-- ARGV[2]  version seen           decimal; 0 if there is no such game
-- ARGV[3]  when to look again     unix milliseconds, decimal; 0 for at once, empty for never
-- ARGV[4]  now                    unix milliseconds, decimal
-- ARGV[5]  who has it             a name without blanks
--
-- Returns 1, or 0 if the look counts for nothing: somebody else has the game by now, or a commit
-- was announced that the looker did not see and that may still come.

local FORGOTTEN_MS = 60000
local SOONEST_MS = 5
local LATEST_MS = 1000
local LATEST_WITHOUT_GAME_MS = 30000
local FIRST_TIME = 1000000000000

local loan = redis.call('HGET', KEYS[3], ARGV[1])
if not loan or string.match(loan, ' (%S+)$') ~= ARGV[5] then
  return 0
end
redis.call('HDEL', KEYS[3], ARGV[1])

local now = tonumber(ARGV[4])
local awaited = redis.call('HGET', KEYS[2], ARGV[1])
local version, at = string.match(awaited or '', '^(%d+) (%d+)$')

if version and tonumber(version) > tonumber(ARGV[2]) then
  if tonumber(at) > now then
    -- Announced by a clock that is ahead of ours: it gets older from now on.
    at = ARGV[4]
    redis.call('HSET', KEYS[2], ARGV[1], version .. ' ' .. at)
  end
  local age = now - tonumber(at)
  if age < FORGOTTEN_MS then
    -- Where there is no game it was most likely deleted; looks at such ones must not add up.
    local latest = ARGV[2] == '0' and LATEST_WITHOUT_GAME_MS or LATEST_MS
    local wait = math.max(SOONEST_MS, math.min(latest, age))
    redis.call('ZADD', KEYS[1], string.format('%.0f', now + wait), ARGV[1])
    return 0
  end
end

if ARGV[3] == '' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('HDEL', KEYS[2], ARGV[1])
  return 1
end
local score = ARGV[3]
if score == '0' then
  local last = redis.call('ZRANGE', KEYS[1], '(' .. FIRST_TIME, '-inf', 'BYSCORE', 'REV',
    'LIMIT', 0, 1, 'WITHSCORES')[2]
  score = (last or 0) + 1
end
redis.call('ZADD', KEYS[1], score, ARGV[1])
return 1
