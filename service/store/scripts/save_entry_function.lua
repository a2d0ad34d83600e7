-- Prepended to the scripts that save an idempotency entry.

-- Checks four entries for each one added, so that expired ones cannot pile up. Without `limit` the
-- entry is always saved: the number of events limits them. Returns whether it is saved.
--
-- entries  hash
-- entry    as in commit.lua; it ends with the time of the request in unix seconds
-- limit    how many entries the game may have, decimal
local function save_entry(entries, key, entry, limit)
  local DAY = 86400
  local PRUNE_EVERY = 16
  local PRUNE_AT_MOST = 64

  local function time_of(each)
    return struct.unpack('>I4', each, #each - 3)
  end

  local count = redis.call('HLEN', entries)
  local full = limit and count >= tonumber(limit)
  if full or count % PRUNE_EVERY == 0 then
    local oldest = time_of(entry) - DAY
    local sample = redis.call('HRANDFIELD', entries, PRUNE_AT_MOST, 'WITHVALUES')
    for i = 1, #sample, 2 do
      if time_of(sample[i + 1]) < oldest then
        count = count - redis.call('HDEL', entries, sample[i])
      end
    end
  end
  if limit and count >= tonumber(limit) then
    return false
  end
  redis.call('HSET', entries, key, entry)
  return true
end
