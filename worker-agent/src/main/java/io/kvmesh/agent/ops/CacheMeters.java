package io.kvmesh.agent.ops;

import io.kvmesh.agent.cache.CacheStats;
import io.kvmesh.agent.cache.RemovalCause;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What the cache holds, and what became of chunks. */
final class CacheMeters {

  private CacheMeters() {}

  static void bind(Figures<CacheStats> cache) {
    bindRoom(cache);
    bindUse(cache);
    bindWaits(cache);
    bindPins(cache);
    bindPacked(cache);
    for (RemovalCause cause : RemovalCause.values()) {
      cache.counter(
          "cache.removed",
          "Chunks that ceased to be resident, by cause",
          it -> it.removed().getOrDefault(cause, 0L),
          "cause",
          cause.name().toLowerCase(Locale.ROOT));
    }
  }

  private static void bindRoom(Figures<CacheStats> cache) {
    pages(cache, "free", CacheStats::freePages);
    pages(cache, "resident", it -> it.residentChunks() - it.packed().chunks());
    pages(cache, "pending", CacheStats::pendingChunks);
    pages(cache, "detached", CacheStats::detachedChunks);
    cache.gauge("cache.capacity.pages", "Pages in use, free or not", CacheStats::capacityPages);
    cache.gauge("cache.page.bytes", "Size of a page", CacheStats::pageBytes);
    cache.gauge(
        "cache.capacity.bytes",
        "Memory for bodies that is in use, free or not",
        it -> it.room().capacityBytes());
    cache.gauge(
        "cache.growable.bytes",
        "Memory for bodies that is yet to be taken into use",
        it -> it.room().growableBytes());
    cache.gauge("cache.free.bytes", "Memory in use that nobody has", it -> it.room().freeBytes());
    cache.gauge(
        "cache.budget.bytes",
        "Memory that could be had now, by growing and by evicting all that may go",
        it -> it.room().budgetBytes());
    cache.gauge(
        "cache.fragmentation",
        "Share of the free memory that is not in its largest range; 0 where there are pages",
        it -> it.room().fragmentation());
    cache.gauge(
        "cache.resident.bytes", "Bytes of resident chunks' bodies", CacheStats::residentBytes);
    cache.gauge(
        "cache.leased.chunks",
        "Chunks that a lease holds, so that they can't be evicted",
        CacheStats::leasedChunks);
  }

  private static void pages(
      Figures<CacheStats> cache, String state, ToDoubleFunction<CacheStats> figure) {
    cache.gauge("cache.pages", "Pages, by what they are used for", figure, "state", state);
  }

  private static void bindWaits(Figures<CacheStats> cache) {
    cache.gauge("cache.waiting", "Batches that wait for room", it -> it.waits().now());
    cache.counter("cache.waited", "Batches that had to wait for room", it -> it.waits().waited());
    cache.counter(
        "cache.waited.in.vain",
        "Batches that had to wait and did not find room for all in time",
        it -> it.waits().inVain());
    cache.counter(
        "cache.wait.refused",
        "Batches that could not wait for room, since too many did",
        it -> it.waits().refused());
  }

  private static void bindPins(Figures<CacheStats> cache) {
    cache.gauge("cache.pins", "Pins, a chunk counting once for each owner", it -> it.pins().now());
    cache.gauge("cache.pin.owners", "Owners that have a pin", it -> it.pins().owners());
    cache.counter(
        "cache.pins.forced", "Pins taken off since they were too old", it -> it.pins().forced());
    cache.counter(
        "cache.pins.refused", "Pins not made since there were too many", it -> it.pins().refused());
  }

  private static void bindPacked(Figures<CacheStats> cache) {
    cache.gauge(
        "cache.compressed.chunks", "Chunks that are compressed", it -> it.packed().chunks());
    cache.gauge(
        "cache.compressed.bytes.before",
        "Bytes of compressed chunks' bodies as they were stored",
        it -> it.packed().bytesBefore());
    cache.gauge(
        "cache.compressed.bytes",
        "Bytes of compressed chunks' bodies as they lie in memory",
        it -> it.packed().bytesAfter());
    cache.gauge(
        "cache.compressed.capacity.bytes",
        "Memory for compressed chunks",
        it -> it.packed().capacityBytes());
    cache.counter(
        "cache.compressed", "Chunks that were compressed", it -> it.packed().compressed());
    cache.counter(
        "cache.decompressed",
        "Chunks that were decompressed, to be read or on command",
        it -> it.packed().decompressed());
  }

  private static void bindUse(Figures<CacheStats> cache) {
    cache.counter(
        "cache.lookups", "Prefixes looked up, by the engine or a peer", CacheStats::lookups);
    cache.counter("cache.lookup.keys", "Chunks that lookups asked for", CacheStats::lookedUp);
    cache.counter(
        "cache.hits", "Chunks asked for that were in the resident prefix", CacheStats::hits);
    cache.counter("cache.admitted", "Chunks that became resident", CacheStats::admitted);
    cache.counter(
        "cache.resident.already",
        "Chunks offered that were resident already",
        CacheStats::alreadyResident);
    cache.counter(
        "cache.no.space", "Chunks refused since nothing could be evicted", CacheStats::noSpace);
    cache.counter(
        "cache.too.large",
        "Chunks refused since they are larger than anything that can be given out",
        CacheStats::tooLarge);
    cache.counter(
        "cache.unfull",
        "Chunks refused since they are only a part of one",
        it -> it.refused().unfull());
    cache.counter(
        "cache.wrong.size",
        "Chunks refused since their bodies are not as long as their tokens say",
        it -> it.refused().wrongSize());
    cache.counter(
        "cache.not.kept",
        "Chunks refused since this agent keeps none",
        it -> it.refused().notKept());
    cache.counter(
        "cache.aborted", "Pages claimed for a chunk that then did not come", CacheStats::aborted);
  }
}
