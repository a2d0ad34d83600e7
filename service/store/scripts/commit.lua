#!lua
-- Write events and the state after them, if the game has not changed since it was loaded.
--
-- KEYS[1]  the state          string
-- KEYS[2]  the log            list
-- KEYS[3]  the entries        hash: idempotency key to entry
-- ARGV[1]  expected version   decimal; 0 creates the game
-- ARGV[2]  expected stamp     empty to create the game
-- ARGV[3]  the state          stamp, checksum, state
-- ARGV[4]  time to live       milliseconds, decimal
-- ARGV[5]  game channel
-- ARGV[6]  idempotency key    empty, like its entry, if the request has none
-- ARGV[7]  its entry          ends with unix seconds (4 bytes), big-endian
-- ARGV[8]  not after          unix milliseconds, decimal; empty if it may happen at any time
-- ARGV[9]  the first event    nonce, checksum, event; all others follow
--
-- Returns -1 if the events are in the log, else the version of the game (0: no such game). A commit
-- that comes too late is refused like one whose game has changed: it must be announced again.
--
-- Without flags in the first line, the server refuses the whole script before its first write if it
-- is out of memory, read-only or cannot write to its disk.

local NONCE = 8
local STAMP = 16
local FIRST = 9
local NEVER_PRUNED = string.rep('\255', 4)

local expected = tonumber(ARGV[1])
local version = redis.call('LLEN', KEYS[2])
local whole = redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) == 3
if not whole then
  version = 0
end

if version > expected then
  -- A commit sent again after a lost answer finds the nonce of its own first event.
  local there = redis.call('LINDEX', KEYS[2], expected)
  if string.sub(there, 1, NONCE) == string.sub(ARGV[FIRST], 1, NONCE) then
    -- Changes nothing, but WAIT covers only what this connection has written.
    redis.call('LSET', KEYS[2], expected, there)
    return -1
  end
end
if version ~= expected then
  return version
end
if ARGV[8] ~= '' then
  local time = redis.call('TIME')
  if time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(ARGV[8]) then
    return version
  end
end
if whole then
  if redis.call('GETRANGE', KEYS[1], 0, STAMP - 1) ~= ARGV[2] then
    return version
  end
else
  -- What eviction left of an earlier game with this id must not become part of this one.
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  -- All three keys exist as long as the game does, so a missing one is noticed.
  redis.call('HSET', KEYS[3], '', NEVER_PRUNED)
end

redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
for i = FIRST, #ARGV do
  version = redis.call('RPUSH', KEYS[2], ARGV[i])
end
redis.call('PEXPIRE', KEYS[2], ARGV[4])

if ARGV[6] ~= '' then
  save_entry(KEYS[3], ARGV[6], ARGV[7])
end
redis.call('PEXPIRE', KEYS[3], ARGV[4])

redis.call('SPUBLISH', ARGV[5], version)
return -1
