-- Makes the change of one log record at one worker, or changes nothing.
--
-- KEYS  1 the worker's state, then the sets that the steps name by number
-- ARGV  1 offset that the state must hold ("-1": there must be no state)
--       2 highest format number that the caller understands
--       3 "forget": the worker is down, nothing of it stays; "keep"
--       4 number of state fields, then name and value of each, then the steps:
--         C location keys marks field adds mixes removes mixes   (marks "0": no snapshot runs)
--         B location n marks...                a snapshot begins
--         A location n (keys marks field)...   it was whole: what isn't marked goes
--         V location n marks...                it is followed no longer
--         D n set...                           all goes
--         T location                           answers the totals
-- Answer  {"applied", count, digest, ...} a pair for each T, {"refused", held offset}
--         or {"unsupported", format}.
--
-- Hashes and mixes are packed, 8 bytes each, big-endian. A digest is a wrapping 64-bit sum, kept as
-- 16 hexadecimal digits and summed in two halves, since a number here is exact only to 53 bits.

local state = KEYS[1]
local HALF = 4294967296

local held = redis.call('HMGET', state, 'offset', 'format')
if held[2] and tonumber(held[2]) > tonumber(ARGV[2]) then
  return {'unsupported', held[2]}
end
if (held[1] or '-1') ~= ARGV[1] then
  return {'refused', held[1] or '-1'}
end

local function members(packed)
  local list = {}
  for at = 1, #packed, 8 do
    list[#list + 1] = string.sub(packed, at, at + 7)
  end
  return list
end

local function total(location, kind)
  local read = redis.call('HMGET', state, kind .. 'count:' .. location, kind .. 'digest:' .. location)
  local digest = read[2] or '0000000000000000'
  return {
    count = tonumber(read[1] or '0'),
    high = tonumber(string.sub(digest, 1, 8), 16),
    low = tonumber(string.sub(digest, 9, 16), 16),
  }
end

local function digest_of(sum)
  return string.format('%08x%08x', sum.high, sum.low)
end

local function store(location, kind, sum)
  redis.call('HSET', state, kind .. 'count:' .. location, string.format('%d', sum.count),
    kind .. 'digest:' .. location, digest_of(sum))
end

-- Adds the members to the set or removes them; sums up those that this changes.
local function edit(set, packed, mixes, adds, sum)
  if #packed == 0 then
    return
  end
  local list = members(packed)
  local present = redis.call('SMISMEMBER', set, unpack(list))
  for i = 1, #list do
    if (present[i] == 1) ~= adds then
      local high, low = struct.unpack('>I4I4', mixes, (i - 1) * 8 + 1)
      if adds then
        sum.count = sum.count + 1
        sum.low = sum.low + low
        sum.high = sum.high + high
      else
        sum.count = sum.count - 1
        sum.low = sum.low - low
        sum.high = sum.high - high
      end
      local carry = math.floor(sum.low / HALF)
      sum.low = sum.low - carry * HALF
      sum.high = (sum.high + carry) % HALF
    end
  end
  redis.call(adds and 'SADD' or 'SREM', set, unpack(list))
end

local function change(location, keys, marks, field, adds, addmixes, removes, removemixes)
  local sum = total(location, '')
  edit(keys, adds, addmixes, true, sum)
  edit(keys, removes, removemixes, false, sum)
  store(location, '', sum)
  if marks then
    local marked = total(location, 'mark')
    edit(marks, adds, addmixes, true, marked)
    edit(marks, removes, removemixes, false, marked)
    store(location, 'mark', marked)
  end
  if redis.call('EXISTS', keys) == 1 then
    redis.call('HSET', state, field, '')
  else
    redis.call('HDEL', state, field)
  end
end

local function end_marks(location)
  redis.call('HDEL', state, 'markcount:' .. location, 'markdigest:' .. location)
end

local answer = {'applied'}
local at = 5 + 2 * tonumber(ARGV[4])

local function take()
  at = at + 1
  return ARGV[at - 1]
end

local function take_key()
  return KEYS[tonumber(take())]
end

local function unlink_all()
  for _ = 1, tonumber(take()) do
    redis.call('UNLINK', take_key())
  end
end

local function keep_marked(location)
  for _ = 1, tonumber(take()) do
    local keys, marks, field = take_key(), take_key(), take()
    if redis.call('EXISTS', marks) == 1 then
      redis.call('RENAME', marks, keys)
    else
      redis.call('UNLINK', keys)
      redis.call('HDEL', state, field)
    end
  end
  store(location, '', total(location, 'mark'))
  end_marks(location)
end

while at <= #ARGV do
  local step = take()
  if step == 'C' then
    local location, keys, marks, field = take(), take_key(), take_key(), take()
    change(location, keys, marks, field, take(), take(), take(), take())
  elseif step == 'B' then
    local location = take()
    unlink_all()
    end_marks(location)
  elseif step == 'A' then
    keep_marked(take())
  elseif step == 'V' then
    local location = take()
    unlink_all()
    end_marks(location)
  elseif step == 'D' then
    unlink_all()
    redis.call('DEL', state)
  else
    local sum = total(take(), '')
    answer[#answer + 1] = string.format('%d', sum.count)
    answer[#answer + 1] = digest_of(sum)
  end
end

if ARGV[3] == 'forget' then
  redis.call('DEL', state)
else
  local fields = {}
  for i = 5, 4 + 2 * tonumber(ARGV[4]) do
    fields[#fields + 1] = ARGV[i]
  end
  redis.call('HSET', state, unpack(fields))
end
return answer
