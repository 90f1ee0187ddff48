package io.kvmesh.agent.engine;

import io.kvmesh.common.wire.engine.EngineErrorCode;
import io.kvmesh.common.zmq.PeerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All that one client of the engine's door holds: its leases and the requests at work for it. It
 * belongs to the connection that opened it and ends with it. The door's thread alone.
 */
final class EngineSession {

  /** What one id of a client stands for. */
  private static final class Lease {
    private final List<Held> held = new ArrayList<>();
    private long sinceNanos;
    private boolean read;
  }

  private final long id;
  private final PeerId connection;
  private final String client;
  private final EngineSettings settings;
  private final Map<Long, Lease> leases = new HashMap<>();
  private final Set<Thread> atWork = new HashSet<>();
  private long lastLeaseId;
  private long leasedBytes;
  private long lastUsedNanos;
  private boolean ended;

  EngineSession(long id, PeerId connection, String client, EngineSettings settings, long nowNanos) {
    this.id = id;
    this.connection = connection;
    this.client = client;
    this.settings = settings;
    this.lastUsedNanos = nowNanos;
  }

  long id() {
    return id;
  }

  PeerId connection() {
    return connection;
  }

  String client() {
    return client;
  }

  int leases() {
    return leases.size();
  }

  long leasedBytes() {
    return leasedBytes;
  }

  boolean hasEnded() {
    return ended;
  }

  void usedAt(long nowNanos) {
    lastUsedNanos = nowNanos;
  }

  boolean idleSince(long nanos) {
    return atWork.isEmpty() && lastUsedNanos - nanos <= 0;
  }

  /** Refuses to hold more where the bounds are reached; lease 0 stands for one to come. */
  void requireRoom(long leaseId) throws EngineFault {
    if (leaseId == 0 && leases.size() >= settings.maxLeases()) {
      throw EngineFault.overloaded("the session has %d leases".formatted(leases.size()));
    }
    if (leasedBytes >= settings.maxLeasedBytes()) {
      throw EngineFault.overloaded("the session's leases hold %d bytes".formatted(leasedBytes));
    }
  }

  /** Refuses a lease that isn't there; 0 stands for one to come. */
  void requireLease(long leaseId) throws EngineFault {
    if (leaseId != 0 && !leases.containsKey(leaseId)) {
      throw new EngineFault(
          EngineErrorCode.UNKNOWN_LEASE, "session %d has no lease %d".formatted(id, leaseId));
    }
  }

  void began(Thread work) {
    atWork.add(work);
  }

  void finished(Thread work, long nowNanos) {
    atWork.remove(work);
    lastUsedNanos = nowNanos;
  }

  /**
   * Adds to a lease.
   *
   * @param leaseId 0 = a new one
   * @param read whether the client was sent the bodies
   * @return the lease's id
   */
  long keep(long leaseId, Held held, boolean read, long nowNanos) {
    long key = leaseId == 0 ? ++lastLeaseId : leaseId;
    Lease lease = leases.computeIfAbsent(key, unused -> new Lease());
    lease.sinceNanos = nowNanos;
    lease.held.add(held);
    lease.read |= read;
    leasedBytes += held.bytes();
    return key;
  }

  /** Ends a lease; the answer is the number of chunks that it held. */
  int release(long leaseId) throws EngineFault {
    requireLease(leaseId);
    Lease lease = leases.remove(leaseId);
    return lease == null ? 0 : close(lease);
  }

  /** Ends a lease that its client never learned of. */
  void drop(long leaseId) {
    Lease lease = leases.remove(leaseId);
    if (lease != null) {
      close(lease);
    }
  }

  /** Ends the leases not added to since this time, whose bodies nobody was sent. */
  int expireUnread(long beforeNanos) {
    int expired = 0;
    Iterator<Lease> all = leases.values().iterator();
    while (all.hasNext()) {
      Lease lease = all.next();
      if (!lease.read && lease.sinceNanos - beforeNanos <= 0) {
        all.remove();
        close(lease);
        expired++;
      }
    }
    return expired;
  }

  /** Ends all; the answer is the number of chunks that were held. */
  int end() {
    ended = true;
    atWork.forEach(Thread::interrupt);
    int chunks = 0;
    for (Lease lease : leases.values()) {
      chunks += close(lease);
    }
    leases.clear();
    return chunks;
  }

  private int close(Lease lease) {
    int chunks = 0;
    for (Held held : lease.held) {
      held.lease().close();
      chunks += held.chunks();
      leasedBytes -= held.bytes();
    }
    return chunks;
  }
}
