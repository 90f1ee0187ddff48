package io.kvmesh.controller.index.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvmesh.common.key.Keyspace;
import io.kvmesh.common.key.WorkerId;
import java.util.List;
import java.util.Locale;

/**
 * The key schema, format {@value #FORMAT}. All of a worker is in one slot of a cluster.
 *
 * <pre>
 *   CLUSTER:log                    hash   format; topic: the topic's id; life: another one after all
 *                                         was lost; next:N: offset of partition N up to which all workers' records have been applied
 *   CLUSTER:workers                hash   worker to its partition; may name one that has no state
 *   CLUSTER:{WORKER}:state         hash   see below
 *   CLUSTER:{WORKER}:keys:SET      set    the chunks of one location and keyspace: 8 bytes each, the
 *                                         64 bits of the hash, big-endian
 *   CLUSTER:{WORKER}:marks:SET     set    while a snapshot is being followed: those of the chunks
 *                                         that it has named, or that were admitted since it began
 *
 *   WORKER is instance/rank, SET is LOCATION:KEYSPACE; in WORKER '%', '{' and '}' are written as
 *   %25, %7b and %7d, in LOCATION '%' and ':' as %25 and %3a.
 *
 *   state  format, topic, partition
 *          offset        of the worker's last record applied: every change names the one it expects
 *          epoch, suspect, registered, heartbeat, heartbeatoffset, seen, stale, reregistered
 *          announcement  a WorkerUp message in msgpack
 *          keys:SET      there is such a set
 *          loc:LOCATION  sequence, suspect, gaps, duplicates, mismatches, snapshots, number of the
 *                        next batch and id of the snapshot that is being followed (−1: none)
 *          sync:LOCATION a foreign worker's last full sync: state, 1 once its end was told, number of
 *                        keys and of batches, time of its last record, the batches that have come
 *                        as hexadecimal bits, the lowest first, after a '/', and its id
 *          count:LOCATION, digest:LOCATION, markcount:LOCATION, markdigest:LOCATION
 *                        size and digest (16 hexadecimal digits) of the chunks, and of those marked
 * </pre>
 */
final class RedisKeys {

  /** The format number that this version writes, and the highest that it reads. */
  static final int FORMAT = 1;

  static final String SET_FIELD = "keys:";
  static final String LOCATION_FIELD = "loc:";
  static final String SYNC_FIELD = "sync:";
  static final String NEXT_FIELD = "next:";

  private final String cluster;

  RedisKeys(String cluster) {
    this.cluster = cluster;
  }

  byte[] log() {
    return bytes(cluster + ":log");
  }

  byte[] workers() {
    return bytes(cluster + ":workers");
  }

  byte[] state(WorkerId worker) {
    return bytes(prefix(worker) + "state");
  }

  byte[] keys(WorkerId worker, String set) {
    return bytes(prefix(worker) + SET_FIELD + set);
  }

  byte[] marks(WorkerId worker, String set) {
    return bytes(prefix(worker) + "marks:" + set);
  }

  private String prefix(WorkerId worker) {
    return cluster + ":{" + escape(worker.toString(), "%{}") + "}:";
  }

  /** A pattern that every key of the worker matches, whoever wrote it. */
  byte[] allOf(WorkerId worker) {
    return bytes(literally(prefix(worker)) + "*");
  }

  /** A pattern that every key of every worker matches. */
  byte[] allOfWorkers() {
    return bytes(literally(cluster + ":{") + "*");
  }

  private static String literally(String text) {
    return text.replaceAll("[\\\\*?\\[\\]]", "\\\\$0");
  }

  /** Name of the set of a location and keyspace. */
  static String set(String location, Keyspace keyspace) {
    return escapeLocation(location) + ":" + keyspace;
  }

  /** Names of the sets among the fields of a worker's state. */
  static List<String> sets(List<byte[]> fields) {
    return fields.stream()
        .map(RedisKeys::text)
        .filter(field -> field.startsWith(SET_FIELD))
        .map(field -> field.substring(SET_FIELD.length()))
        .toList();
  }

  /** The location of a set. */
  static String locationOf(String set) {
    return unescapeLocation(set.substring(0, set.indexOf(':')));
  }

  /** The keyspace of a set. */
  static Keyspace keyspaceOf(String set) {
    return Keyspace.parse(set.substring(set.indexOf(':') + 1));
  }

  static String escapeLocation(String location) {
    return escape(location, "%:");
  }

  static String unescapeLocation(String escaped) {
    return escaped.replace("%3a", ":").replace("%25", "%");
  }

  private static String escape(String text, String special) {
    StringBuilder escaped = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (special.indexOf(c) >= 0) {
        escaped.append('%').append(String.format(Locale.ROOT, "%02x", (int) c));
      } else {
        escaped.append(c);
      }
    }
    return escaped.toString();
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }
}
