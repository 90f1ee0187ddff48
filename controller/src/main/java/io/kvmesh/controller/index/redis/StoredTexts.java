package io.kvmesh.controller.index.redis;

import io.kvmesh.common.key.WorkerId;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Reads the texts of the view that belong to no single worker. */
final class StoredTexts {

  private StoredTexts() {}

  static StoredLog log(Map<byte[], byte[]> read) {
    String topicId = "";
    String life = "";
    Map<Integer, Long> next = new HashMap<>();
    for (Map.Entry<byte[], byte[]> field : read.entrySet()) {
      String name = RedisKeys.text(field.getKey());
      String value = RedisKeys.text(field.getValue());
      if (name.equals("format") && Long.parseLong(value) > RedisKeys.FORMAT) {
        throw DurableViewException.unsupported("The view", value);
      } else if (name.equals("topic")) {
        topicId = value;
      } else if (name.equals("life")) {
        life = value;
      } else if (name.startsWith(RedisKeys.NEXT_FIELD)) {
        next.put(
            Integer.valueOf(name.substring(RedisKeys.NEXT_FIELD.length())), Long.valueOf(value));
      }
    }
    return new StoredLog(topicId, life, next);
  }

  static Map<WorkerId, Integer> workers(Map<byte[], byte[]> read) {
    Map<WorkerId, Integer> workers = new HashMap<>();
    read.forEach(
        (worker, partition) ->
            workers.put(
                WorkerId.parse(RedisKeys.text(worker)),
                Integer.valueOf(RedisKeys.text(partition))));
    return workers;
  }

  /**
   * What the parsing gives.
   *
   * @throws DurableViewException if it fails: somebody else has written the text
   */
  static <T> T parsed(String what, Supplier<T> parse) {
    try {
      return parse.get();
    } catch (DurableViewException e) {
      throw e;
    } catch (IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException e) {
      throw DurableViewException.corrupt(what, e);
    }
  }
}
