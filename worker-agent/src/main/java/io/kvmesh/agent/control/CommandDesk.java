package io.kvmesh.agent.control;

import io.kvmesh.agent.cache.ChunkCache;
import io.kvmesh.agent.cache.Cleared;
import io.kvmesh.agent.drain.Drainer;
import io.kvmesh.agent.fleet.Prefetcher;
import io.kvmesh.agent.transfer.ChunkMover;
import io.kvmesh.agent.transfer.LocalPeer;
import io.kvmesh.agent.transfer.PeerReachability;
import io.kvmesh.common.count.Counters;
import io.kvmesh.common.wire.control.CancelDrainWorkerMsg;
import io.kvmesh.common.wire.control.CancelPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.CheckDrainWorkerMsg;
import io.kvmesh.common.wire.control.CheckFinishWorkerMsg;
import io.kvmesh.common.wire.control.CheckPrefetchWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerMsg;
import io.kvmesh.common.wire.control.ClearWorkerRetMsg;
import io.kvmesh.common.wire.control.CompressWorkerMsg;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.control.DecompressWorkerMsg;
import io.kvmesh.common.wire.control.DrainWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerMsg;
import io.kvmesh.common.wire.control.HealthWorkerRetMsg;
import io.kvmesh.common.wire.control.MoveWorkerMsg;
import io.kvmesh.common.wire.control.PinWorkerMsg;
import io.kvmesh.common.wire.control.PrefetchWorkerMsg;
import io.kvmesh.common.wire.control.ReachWorkerMsg;
import io.kvmesh.common.wire.control.UndrainWorkerMsg;
import io.kvmesh.common.wire.control.WorkerCertificate;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what the controllers command. Each command has one reply; that of a move or a drain, of its
 * end, and of what compresses, decompresses, prefetches or tries peers, comes late.
 */
public final class CommandDesk implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CommandDesk.class);

  private static final int HEALTHY = 0;
  private static final int UNHEALTHY = -1;

  private final LocalPeer self;
  private final String location;
  private final ChunkCache cache;
  private final Supplier<List<WorkerCertificate>> certificates;
  private final Counters<ControlCount> counters;
  private final PinCommands pins;
  private final MoveCommands moves;
  private final PackCommands packs;
  private final PrefetchCommands prefetches;
  private final DrainCommands drains;
  private final ReachCommands reaches;

  /**
   * Assigns only.
   *
   * @param location name of the cache on the wire
   * @param ownAddress of this agent's init port
   * @param tokenKeys null = commands can't name chunks by their tokens
   * @param certificates that this agent works with now
   */
  public CommandDesk(
      LocalPeer self,
      String location,
      ChunkCache cache,
      ChunkMover mover,
      Prefetcher prefetcher,
      Drainer drainer,
      PeerReachability peers,
      Supplier<String> ownAddress,
      @Nullable TokenKeys tokenKeys,
      Supplier<List<WorkerCertificate>> certificates,
      Counters<ControlCount> counters) {
    this.self = self;
    this.location = location;
    this.cache = cache;
    this.certificates = certificates;
    this.counters = counters;
    CommandKeys keys = new CommandKeys(tokenKeys);
    this.pins = new PinCommands(cache.pins(), keys, counters);
    this.packs = new PackCommands(cache, location, keys, counters);
    this.prefetches = new PrefetchCommands(prefetcher, location, keys, self.epoch(), counters);
    PeerAddress addresses = new PeerAddress(ownAddress);
    this.moves = new MoveCommands(self, location, mover, keys, addresses, counters);
    this.reaches = new ReachCommands(peers, addresses, counters);
    this.drains = new DrainCommands(self, location, drainer, mover.longest(), addresses, counters);
  }

  /**
   * Does what is commanded.
   *
   * @param reply gets the answer, now or later on another thread
   */
  void take(ControlRequest request, Consumer<ControlReply> reply) {
    try {
      switch (request) {
        case ClearWorkerMsg clear -> reply.accept(clear(clear));
        case HealthWorkerMsg health -> reply.accept(health());
        case ReachWorkerMsg reach -> reaches.begin(reach, reply);
        case PinWorkerMsg pin -> reply.accept(pin(pin));
        case CheckFinishWorkerMsg check -> reply.accept(moves.check(check));
        case MoveWorkerMsg move -> moves.begin(move, reply);
        case PrefetchWorkerMsg prefetch -> prefetches.begin(prefetch, reply);
        case CheckPrefetchWorkerMsg check -> reply.accept(prefetches.check(check));
        case CancelPrefetchWorkerMsg cancel -> reply.accept(prefetches.cancel(cancel));
        case DrainWorkerMsg drain -> drains.begin(drain, reply);
        case CheckDrainWorkerMsg check -> reply.accept(drains.check(check));
        case CancelDrainWorkerMsg cancel -> reply.accept(drains.cancel(cancel));
        case UndrainWorkerMsg _ -> drains.undrain(reply);
        case CompressWorkerMsg compress -> packs.compress(compress, reply);
        case DecompressWorkerMsg decompress -> packs.decompress(decompress, reply);
      }
    } catch (CommandFault e) {
      counters.count(ControlCount.UNSUPPORTED);
      reply.accept(e.reply());
    }
  }

  private ClearWorkerRetMsg clear(ClearWorkerMsg clear) throws CommandFault {
    CommandFault.requireLocation(clear.location(), location);
    Cleared cleared = cache.clear();
    counters.count(ControlCount.CLEAR);
    LOG.info("Cleared {} chunks on command", cleared.chunks());
    return new ClearWorkerRetMsg(
        cleared.tokens(), self.epoch().getAsLong(), cleared.sequence(), (long) cleared.chunks());
  }

  private HealthWorkerRetMsg health() {
    counters.count(ControlCount.HEALTH);
    List<WorkerCertificate> told = certificates.get();
    return new HealthWorkerRetMsg(
        self.fenced().getAsBoolean() ? UNHEALTHY : HEALTHY, told.isEmpty() ? null : told);
  }

  private ControlReply pin(PinWorkerMsg pin) throws CommandFault {
    CommandFault.requireLocation(pin.location(), location);
    return pins.answer(pin);
  }

  /** Ends what is under way. */
  @Override
  public void close() {
    packs.close();
  }
}
