package io.kvmesh.agent.transfer;

import io.kvmesh.common.wire.control.PeerReach;
import io.kvmesh.common.wire.control.ReachOutcome;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Tries to reach peers as a pull would, and tells apart why one can't be reached: first by a plain
 * connection, of which the system says what came of it, then by a handshake and a question for
 * nothing. All at a time, a bounded number of them. Any thread.
 */
public final class PeerReachability {

  /** A host that answers at all does so at once. */
  private static final Duration CONNECT = Duration.ofSeconds(2);

  private final PeerClient client;
  private final LongSupplier nanoTime;
  private final Semaphore free;

  /**
   * Assigns only.
   *
   * @param mostPeers that are tried at a time
   */
  public PeerReachability(PeerClient client, int mostPeers, LongSupplier nanoTime) {
    this.client = client;
    this.nanoTime = nanoTime;
    this.free = new Semaphore(mostPeers);
  }

  /**
   * Tries each of these.
   *
   * @param peers addresses of their init ports, host:port
   * @return completes with the outcomes in the same order, when all are tried or the time is over;
   *     empty if too many are being tried already
   */
  public Optional<CompletableFuture<List<PeerReach>>> tryAll(List<String> peers, Duration atMost) {
    if (!free.tryAcquire(peers.size())) {
      return Optional.empty();
    }
    Deadline deadline = Deadline.after(atMost, nanoTime);
    List<CompletableFuture<PeerReach>> attempts =
        peers.stream().map(peer -> attempt(peer, deadline)).toList();
    return Optional.of(
        CompletableFuture.allOf(attempts.toArray(CompletableFuture[]::new))
            .thenApply(all -> attempts.stream().map(CompletableFuture::join).toList()));
  }

  /** On a thread of its own, which a name that isn't resolved may keep for longer. */
  private CompletableFuture<PeerReach> attempt(String peer, Deadline deadline) {
    CompletableFuture<PeerReach> result = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("reach-" + peer)
        .start(
            () -> {
              try {
                result.complete(reach(peer, deadline));
              } finally {
                free.release();
              }
            });
    PeerReach late =
        new PeerReach(
            peer, ReachOutcome.TIMED_OUT, deadline.remaining().toMillis(), "no answer in time");
    return result.completeOnTimeout(late, deadline.remaining().toNanos(), TimeUnit.NANOSECONDS);
  }

  private PeerReach reach(String peer, Deadline deadline) {
    long begun = nanoTime.getAsLong();
    try {
      connect(peer, deadline);
    } catch (UnknownHostException e) {
      return failed(peer, ReachOutcome.UNKNOWN_HOST, begun, "its name can't be resolved here");
    } catch (SocketTimeoutException e) {
      return failed(peer, ReachOutcome.TIMED_OUT, begun, "its host does not answer");
    } catch (ConnectException e) {
      return failed(peer, ReachOutcome.REFUSED, begun, String.valueOf(e.getMessage()));
    } catch (IOException | IllegalArgumentException e) {
      return failed(peer, ReachOutcome.UNREACHABLE, begun, String.valueOf(e.getMessage()));
    }
    long connected = nanoTime.getAsLong();
    Optional<String> fault = probe(peer, deadline);
    return fault
        .map(reason -> failed(peer, ReachOutcome.NO_HANDSHAKE, connected, reason))
        .orElseGet(() -> new PeerReach(peer, ReachOutcome.REACHED, millisSince(connected), null));
  }

  private static void connect(String peer, Deadline deadline) throws IOException {
    int colon = peer.lastIndexOf(':');
    String host = peer.substring(0, Math.max(colon, 0));
    InetSocketAddress address =
        new InetSocketAddress(
            host.replaceAll("[\\[\\]]", ""), Integer.parseInt(peer.substring(colon + 1)));
    if (address.isUnresolved()) {
      throw new UnknownHostException(host);
    }
    long millis = Math.min(CONNECT.toMillis(), deadline.remaining().toMillis());
    try (Socket socket = new Socket()) {
      socket.connect(address, (int) Math.max(1, millis));
    }
  }

  private Optional<String> probe(String peer, Deadline deadline) {
    try {
      return client
          .probe(peer, deadline)
          .get(Math.max(1, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return Optional.of("no answer in time");
    } catch (ExecutionException e) {
      return Optional.of(String.valueOf(e.getCause()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("this agent is closing");
    }
  }

  private PeerReach failed(String peer, ReachOutcome outcome, long sinceNanos, String reason) {
    return new PeerReach(peer, outcome, millisSince(sinceNanos), reason);
  }

  private long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - nanos);
  }
}
