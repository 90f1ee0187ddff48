package io.kvmesh.agent.transfer;

import io.kvmesh.agent.cache.ChunkLease;
import io.kvmesh.common.zmq.PeerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Pages that a socket may still be sending from. A loan ends when its peer says so, when its
 * connection is gone, or when this agent closes; never by time, since JeroMQ doesn't tell when it
 * has written the bytes. A deadline only makes a loan overdue: counted, and held against the peer
 * that asks for more.
 *
 * <p>One thread; the figures may be read by any.
 */
final class Loans {

  /**
   * How much may be on loan.
   *
   * @param perPeerBytes to one peer
   * @param totalBytes to all
   * @param sealedBytes of these, sealed: as long as they are on their way there is a copy on the
   *     heap
   * @param overduePerPeer loans of one peer that may be overdue before it gets no more
   * @param deadline after which a loan is overdue
   */
  record Limits(
      long perPeerBytes,
      long totalBytes,
      long sealedBytes,
      int overduePerPeer,
      Duration deadline) {}

  private static final class Loan {
    private final String peer;
    private final PeerId connection;
    private final ChunkLease lease;
    private final long bytes;
    private final boolean sealed;
    private final long dueNanos;
    private boolean overdue;

    private Loan(
        String peer,
        PeerId connection,
        ChunkLease lease,
        long bytes,
        boolean sealed,
        long dueNanos) {
      this.peer = peer;
      this.connection = connection;
      this.lease = lease;
      this.bytes = bytes;
      this.sealed = sealed;
      this.dueNanos = dueNanos;
    }
  }

  /** What one peer has on loan, over all its connections. */
  private static final class Account {
    private long bytes;
    private int loans;
    private int overdue;
  }

  private final Limits limits;
  private final LongSupplier nanoTime;

  /** In the order of their due times, which is that of their ids. */
  private final Map<Long, Loan> open = new LinkedHashMap<>();

  private final Map<String, Account> accounts = new HashMap<>();
  private long lastId;
  private long sealedBytes;
  private final AtomicLong openBytes = new AtomicLong();
  private final AtomicInteger openLoans = new AtomicInteger();
  private final AtomicInteger overdueLoans = new AtomicInteger();

  Loans(Limits limits, LongSupplier nanoTime) {
    this.limits = limits;
    this.nanoTime = nanoTime;
  }

  /** Whether a peer may have that much more, sealed or as it is. */
  boolean allow(String peer, long bytes, boolean sealed) {
    if (sealed && sealedBytes > 0 && sealedBytes + bytes > limits.sealedBytes()) {
      return false;
    }
    Account account = accounts.get(peer);
    if (account == null) {
      return bytes <= limits.perPeerBytes() && openBytes.get() + bytes <= limits.totalBytes();
    }
    return account.overdue < limits.overduePerPeer()
        && account.bytes + bytes <= limits.perPeerBytes()
        && openBytes.get() + bytes <= limits.totalBytes();
  }

  /** The id that the next loan will have. */
  long nextId() {
    return lastId + 1;
  }

  /** Takes over the lease; the answer is the loan's id, never 0. */
  long lend(String peer, PeerId connection, ChunkLease lease, long bytes, boolean sealed) {
    long due = nanoTime.getAsLong() + limits.deadline().toNanos();
    open.put(++lastId, new Loan(peer, connection, lease, bytes, sealed, due));
    sealedBytes += sealed ? bytes : 0;
    Account account = accounts.computeIfAbsent(peer, unused -> new Account());
    account.bytes += bytes;
    account.loans++;
    openBytes.addAndGet(bytes);
    openLoans.set(open.size());
    return lastId;
  }

  /** Ends a loan; false if that connection has none of this id. */
  boolean end(PeerId connection, long id) {
    Loan loan = open.get(id);
    if (loan == null || !loan.connection.equals(connection)) {
      return false;
    }
    open.remove(id);
    settle(loan);
    return true;
  }

  /** Ends all loans of a connection; the answer is their number. */
  int endAllOf(PeerId connection) {
    List<Loan> gone = new ArrayList<>();
    Iterator<Loan> loans = open.values().iterator();
    while (loans.hasNext()) {
      Loan loan = loans.next();
      if (loan.connection.equals(connection)) {
        loans.remove();
        gone.add(loan);
      }
    }
    gone.forEach(this::settle);
    return gone.size();
  }

  /** Ends every loan. */
  void endAll() {
    List<Loan> gone = List.copyOf(open.values());
    open.clear();
    gone.forEach(this::settle);
  }

  /** Marks the loans whose deadline has passed; the answer is the number of new ones. */
  int markOverdue() {
    long now = nanoTime.getAsLong();
    int found = 0;
    for (Loan loan : open.values()) {
      if (loan.dueNanos - now > 0) {
        break;
      }
      if (!loan.overdue) {
        loan.overdue = true;
        account(loan).overdue++;
        found++;
      }
    }
    overdueLoans.addAndGet(found);
    return found;
  }

  /** Bytes on loan. */
  long openBytes() {
    return openBytes.get();
  }

  /** Number of loans. */
  int openLoans() {
    return openLoans.get();
  }

  /** Number of loans that are overdue now. */
  int overdueLoans() {
    return overdueLoans.get();
  }

  private void settle(Loan loan) {
    Account account = account(loan);
    account.bytes -= loan.bytes;
    account.loans--;
    if (loan.overdue) {
      account.overdue--;
      overdueLoans.decrementAndGet();
    }
    if (account.loans == 0) {
      accounts.remove(loan.peer);
    }
    sealedBytes -= loan.sealed ? loan.bytes : 0;
    openBytes.addAndGet(-loan.bytes);
    openLoans.set(open.size());
    loan.lease.close();
  }

  private Account account(Loan loan) {
    Account account = accounts.get(loan.peer);
    if (account == null) {
      throw new IllegalStateException("No account of " + loan.peer);
    }
    return account;
  }
}
