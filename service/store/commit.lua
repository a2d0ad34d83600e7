#!lua
-- Write one event and the state it leads to, if the log is as long as the writer believes.
--
-- KEYS[1]  the state          string
-- KEYS[2]  the log            list
-- KEYS[3]  the retries        hash
-- KEYS[4]  the renewals       string
-- ARGV[1]  expected version   decimal; 0 creates the game
-- ARGV[2]  nonce and state
-- ARGV[3]  nonce and event
-- ARGV[4]  time to live       milliseconds, decimal
-- ARGV[5]  news channel
-- ARGV[6]  now                unix milliseconds, decimal
-- ARGV[7]  retry key          both absent if the request had no key
-- ARGV[8]  its entry          fingerprint (8), version (4), unix ms (6), big-endian
--
-- Returns -1 if the event is in the log, else the version the game has (0: no such game).
--
-- The first line without flags makes the server refuse the whole script before its first write
-- when it is out of memory, read-only or cannot reach its disk.

local NONCE = 8
local DAY_MS = 86400000
local PRUNE_EVERY = 16
local PRUNE_AT_MOST = 64

local expected = tonumber(ARGV[1])
local version = redis.call('LLEN', KEYS[2])

if version > expected then
  -- A commit sent again after a lost answer finds its own nonce in its own place.
  local there = redis.call('LINDEX', KEYS[2], expected)
  if string.sub(there, 1, NONCE) == string.sub(ARGV[3], 1, NONCE) then
    -- Changes nothing, but a server waits only for replicas of what this connection wrote.
    redis.call('LSET', KEYS[2], expected, there)
    return -1
  end
end
if version ~= expected then
  return version
end

redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[4])
redis.call('RPUSH', KEYS[2], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[4])

if ARGV[7] then
  redis.call('HSET', KEYS[3], ARGV[7], ARGV[8])
end
if expected % PRUNE_EVERY == PRUNE_EVERY - 1 then
  -- Four looked at for each one added: old entries cannot pile up, and no commit does much.
  local oldest = tonumber(ARGV[6]) - DAY_MS
  local sample = redis.call('HRANDFIELD', KEYS[3], PRUNE_AT_MOST, 'WITHVALUES')
  for i = 1, #sample, 2 do
    local high, low = struct.unpack('>I2I4', sample[i + 1], #sample[i + 1] - 5)
    if high * 4294967296 + low < oldest then
      redis.call('HDEL', KEYS[3], sample[i])
    end
  end
end
redis.call('PEXPIRE', KEYS[3], ARGV[4])
redis.call('PEXPIRE', KEYS[4], ARGV[4])

redis.call('SPUBLISH', ARGV[5], expected + 1)
return -1
