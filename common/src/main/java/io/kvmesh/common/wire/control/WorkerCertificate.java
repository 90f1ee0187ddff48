package io.kvmesh.common.wire.control;

/**
 * Until when a worker's TLS certificates of one kind are good.
 *
 * @param bundle name that the worker has for them
 * @param purpose what they are for: {@link #HTTP}, {@link #KAFKA} or {@link #OTHER}
 * @param trusted true: by which it knows others, of which one that is good is enough; false: which
 *     it shows to others
 * @param subject whose the one is that decides
 * @param endMillis until when they are good, in milliseconds since 1970: of those that it shows the
 *     first end, of those that it trusts the last
 */
public record WorkerCertificate(
    String bundle, String purpose, boolean trusted, String subject, long endMillis) {

  /** Its HTTP port. */
  public static final String HTTP = "http";

  /** Kafka's clients in it. */
  public static final String KAFKA = "kafka";

  /** What its operator uses them for. */
  public static final String OTHER = "other";
}
