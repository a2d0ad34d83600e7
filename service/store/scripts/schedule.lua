#!lua
-- Queue the work that follows from a commit, just before that commit, and wake the workers.
--
-- KEYS[1]  the due games          sorted set: game id by unix ms, or by its place among those that
--                                 are due immediately
-- KEYS[2]  the expected versions  hash: game id to version (decimal), a space, unix ms
-- KEYS[3]  the messages           stream, for webhooks
-- KEYS[4]  the claims             hash: game id to when the claim ends, a space, who has it
-- KEYS[5]  the first message      string that expires: it is in the stream already; others follow
-- ARGV[1]  game id
-- ARGV[2]  version                that the commit leads to, decimal
-- ARGV[3]  now                    unix milliseconds, decimal
-- ARGV[4]  due                    unix milliseconds, decimal; 0 for immediately, empty for never
-- ARGV[5]  wake channel
-- ARGV[6]  the event's nonce      in hex, of the first message, if there is one
-- ARGV[7]  URL of the webhook
-- ARGV[8]  body of the message
-- ARGV[9]  tenant                 whose webhook it is; empty if it is the game's own
-- ARGV[10] news                 what the message is about, if not about the event; the other messages
--                                 follow
--
-- Never delays a game that is due earlier, so a commit that fails does no harm. A claimed game stays
-- claimed; its claimant finds the expected version when it reschedules the game. Running twice
-- changes nothing.

local EXPECT_FOR_MS = 60000
local SAME_MESSAGE_MS = 30000
local FIRST_TIME = 1000000000000
local FIRST_MESSAGE = 5

local now = tonumber(ARGV[3])
local woken = false

if ARGV[4] ~= '' then
  local expected = redis.call('HGET', KEYS[2], ARGV[1])
  local version, at = string.match(expected or '', '^(%d+) (%d+)$')
  if not version or tonumber(version) <= tonumber(ARGV[2]) or now - tonumber(at) > EXPECT_FOR_MS then
    redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
  end
  if not redis.call('HGET', KEYS[4], ARGV[1]) then
    local score = ARGV[4]
    if score == '0' then
      local last = redis.call('ZRANGE', KEYS[1], '(' .. FIRST_TIME, '-inf', 'BYSCORE', 'REV',
        'LIMIT', 0, 1, 'WITHSCORES')[2]
      score = (last or 0) + 1
    end
    redis.call('ZADD', KEYS[1], 'LT', score, ARGV[1])
    woken = tonumber(ARGV[4]) <= now
  end
end

local queued = false
for i = FIRST_MESSAGE, #KEYS do
  if redis.call('SET', KEYS[i], '1', 'NX', 'PX', SAME_MESSAGE_MS) then
    queued = true
    if redis.call('EXISTS', KEYS[3]) == 0 then
      redis.call('XGROUP', 'CREATE', KEYS[3], 'workers', '0', 'MKSTREAM')
    end
    local at = 6 + 5 * (i - FIRST_MESSAGE)
    redis.call('XADD', KEYS[3], '*', 'game', ARGV[1], 'n', ARGV[2], 'at', ARGV[3], 'tries', '0',
      'nonce', ARGV[at], 'url', ARGV[at + 1], 'body', ARGV[at + 2], 'tenant', ARGV[at + 3],
      'news', ARGV[at + 4])
  end
end

if queued or woken then
  redis.call('SPUBLISH', ARGV[5], ARGV[1])
end
return 1
