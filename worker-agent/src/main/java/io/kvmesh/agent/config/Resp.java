package io.kvmesh.agent.config;

import io.kvmesh.agent.engine.tcp.ExistsScope;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The door for clients that speak the Redis protocol, LMCache's redis:// and resp:// connectors
 * among them.
 *
 * @param enabled whether there is a door for the Redis protocol
 * @param bind door for the Redis protocol, tcp://host:port; port 0 = any free one
 * @param username name of the only user of the Redis protocol; who names none means this one
 * @param password for the Redis protocol; empty = nobody has to say who they are
 * @param exists where a chunk may be that a Redis client is told exists: local = in this agent,
 *     fleet = also at its peers
 * @param maxConnections connections of Redis clients open at once; a further one takes the place of
 *     one that never asked for anything, or is sent away
 * @param maxBodyBytes a Redis client that announces a longer value is cut off; a shorter one that
 *     is larger than a chunk is read and refused
 * @param maxArguments a Redis client that announces more arguments for one command, its name among
 *     them, is cut off
 * @param maxHalfPairs so many halves of redis:// pairs may wait for their other halves; the oldest
 *     give way
 * @param maxHalfPercent of the cache's capacity that halves of redis:// pairs may take while they
 *     wait for their other halves; one may always wait
 * @param halfPairWait after which a half of a redis:// pair whose other half did not come is
 *     dropped
 * @param idleTimeout after which a connection of a Redis client without a request is closed
 * @param stallTimeout after which a Redis client's request or reply that makes no progress ends its
 *     connection; so does one that falls so far behind 64 KiB a second
 */
record Resp(
    @DefaultValue("false") boolean enabled,
    @DefaultValue("tcp://127.0.0.1:6379") String bind,
    @DefaultValue("default") String username,
    @DefaultValue("") String password,
    @DefaultValue("fleet") ExistsScope exists,
    @DefaultValue("1024") int maxConnections,
    @DefaultValue("512MB") DataSize maxBodyBytes,
    @DefaultValue("1024") int maxArguments,
    @DefaultValue("256") int maxHalfPairs,
    @DefaultValue("25") int maxHalfPercent,
    @DefaultValue("30s") Duration halfPairWait,
    @DefaultValue("1h") Duration idleTimeout,
    @DefaultValue("30s") Duration stallTimeout) {

  /** Without the password. */
  @Override
  public String toString() {
    return "Resp[enabled=%s, bind=%s, username=%s]".formatted(enabled, bind, username);
  }
}
