#!lua
-- Write a new game with a complete log, if its id is free.
--
-- KEYS[1]  the state          string
-- KEYS[2]  the log            list
-- KEYS[3]  the entries        hash: idempotency key to entry
-- ARGV[1]  the state          stamp, checksum, state
-- ARGV[2]  time to live       milliseconds, decimal
-- ARGV[3]  game channel
-- ARGV[4]  idempotency key    empty if the request has none
-- ARGV[5]  its entry          as in commit.lua
-- ARGV[6]  the first event    nonce, checksum, event; all others follow
--
-- Returns -1 if the log is stored, else the version of the game that has the id.
--
-- Without flags in the first line, the server refuses the whole script before its first write if it
-- is out of memory, read-only or cannot write to its disk.

local NONCE = 8
local FIRST = 6
local NEVER_PRUNED = string.rep('\255', 4)

if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) == 3 then
  -- A fork sent again after a lost answer finds the nonce of its own first event.
  local there = redis.call('LINDEX', KEYS[2], 0)
  if string.sub(there, 1, NONCE) == string.sub(ARGV[FIRST], 1, NONCE) then
    -- Changes nothing, but WAIT covers only what this connection has written.
    redis.call('LSET', KEYS[2], 0, there)
    return -1
  end
  return redis.call('LLEN', KEYS[2])
end

-- What eviction left of an earlier game with this id must not become part of this one.
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
for i = FIRST, #ARGV do
  redis.call('RPUSH', KEYS[2], ARGV[i])
end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
-- All three keys exist as long as the game does, so a missing one is noticed.
redis.call('HSET', KEYS[3], '', NEVER_PRUNED)
if ARGV[4] ~= '' then
  redis.call('HSET', KEYS[3], ARGV[4], ARGV[5])
end
redis.call('PEXPIRE', KEYS[3], ARGV[2])

redis.call('SPUBLISH', ARGV[3], #ARGV - FIRST + 1)
return -1
