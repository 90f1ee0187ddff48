/**
 * The door for clients that speak the Redis protocol, LMCache's redis:// and resp:// among them.
 */
@NullMarked
package io.kvmesh.agent.engine.resp;

import org.jspecify.annotations.NullMarked;
