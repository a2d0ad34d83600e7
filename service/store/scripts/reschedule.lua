#!lua
-- End the claim of a game, and set when it is due again.
--
-- KEYS[1]  the due games          sorted set: game id by unix ms, or by its place among those that
--                                 are due immediately
-- KEYS[2]  the expected versions  hash: game id to version (decimal), a space, unix ms
-- KEYS[3]  the claims             hash: game id to when the claim ends, a space, who has it
-- ARGV[1]  game id
-- ARGV[2]  loaded version         decimal; 0 if there is no such game
-- ARGV[3]  due again              unix milliseconds, decimal; 0 for immediately, empty for never
-- ARGV[4]  now                    unix milliseconds, decimal
-- ARGV[5]  claimant               a name without spaces
--
-- Returns 1, or 0 if nothing was set: another process has claimed the game, or a commit was announced
-- that the caller has not seen and that may still happen.

local EXPECT_FOR_MS = 60000
local SOONEST_MS = 5
local LATEST_MS = 1000
local LATEST_WITHOUT_GAME_MS = 30000
local FIRST_TIME = 1000000000000

local claim = redis.call('HGET', KEYS[3], ARGV[1])
if not claim or string.match(claim, ' (%S+)$') ~= ARGV[5] then
  return 0
end
redis.call('HDEL', KEYS[3], ARGV[1])

local now = tonumber(ARGV[4])
local expected = redis.call('HGET', KEYS[2], ARGV[1])
local version, at = string.match(expected or '', '^(%d+) (%d+)$')

if version and tonumber(version) > tonumber(ARGV[2]) then
  if tonumber(at) > now then
    -- Announced by a clock that is ahead of ours: its age counts from now on.
    at = ARGV[4]
    redis.call('HSET', KEYS[2], ARGV[1], version .. ' ' .. at)
  end
  local age = now - tonumber(at)
  if age < EXPECT_FOR_MS then
    -- A game that does not exist was most likely deleted: checking such games must not add up.
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
