-- Put before the scripts that keep what tells a repetition of a request.

-- Four entries are looked at for each one added, so that old ones cannot pile up. Without `most` the
-- entry is always kept: the writer bounds their number. Returns whether it is kept.
--
-- retries  hash
-- entry    as in commit.lua; it ends with the time of the request in unix seconds
-- most     how many entries the game may have, decimal
local function keep_retry(retries, key, entry, most)
  local DAY = 86400
  local PRUNE_EVERY = 16
  local PRUNE_AT_MOST = 64

  local function time_of(each)
    return struct.unpack('>I4', each, #each - 3)
  end

  local count = redis.call('HLEN', retries)
  local full = most and count >= tonumber(most)
  if full or count % PRUNE_EVERY == 0 then
    local oldest = time_of(entry) - DAY
    local sample = redis.call('HRANDFIELD', retries, PRUNE_AT_MOST, 'WITHVALUES')
    for i = 1, #sample, 2 do
      if time_of(sample[i + 1]) < oldest then
        count = count - redis.call('HDEL', retries, sample[i])
      end
    end
  end
  if most and count >= tonumber(most) then
    return false
  end
  redis.call('HSET', retries, key, entry)
  return true
end
