-- Prepended to the scripts of the lobby.
--
-- KEYS[1]  the tables       hash: game id (16 bytes) to version, when somebody was seen at it (unix
--                           ms), turn time of those who may be matched to it, or `-`, and `opening`
--                           if the game may not exist yet, else `open`; separated by spaces
-- KEYS[2]  all of them      sorted set: game id by when it was created (unix ms)
-- KEYS[3]  those to match   sorted set, in the order of its members: turn time, when the game was
--                           created (15 digits), game id; separated by spaces
--
-- A table is in all of them or in none, so nothing is left behind. Only if the store has evicted
-- one of them does an id of the others lead to nothing.

local MOST_STEPS = 500 -- of one run: a script stops everybody else

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Returns version, when somebody was seen, turn time, state; nil if there is no such table.
local function table_of(id)
  local found = redis.call('HGET', KEYS[1], id) or ''
  local version, seen, turn, state = string.match(found, '^(%d+) (%d+) (%S+) (%S+)$')
  return tonumber(version), tonumber(seen), turn, state
end

local function member_of(turn, created, id)
  return string.format('%s %015.0f ', turn, created) .. id
end

local function remove(id)
  local _, _, turn = table_of(id)
  local created = redis.call('ZSCORE', KEYS[2], id)
  redis.call('HDEL', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
  if turn and created then
    redis.call('ZREM', KEYS[3], member_of(turn, created, id))
  end
end

-- In place of what was there of this table; all of it expires after `ttl` milliseconds.
local function enter(id, version, turn, state, created, ttl)
  remove(id)
  redis.call('HSET', KEYS[1], id, string.format('%.0f %.0f %s %s', version, now, turn, state))
  redis.call('ZADD', KEYS[2], created, id)
  if turn ~= '-' then
    redis.call('ZADD', KEYS[3], 0, member_of(turn, created, id))
  end
  for _, key in ipairs(KEYS) do
    redis.call('PEXPIRE', key, ttl)
  end
end
