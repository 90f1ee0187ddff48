/** The durable view, shared by all controllers. The key schema is in {@code RedisKeys}. */
@NullMarked
package io.kvmesh.controller.index.redis;

import org.jspecify.annotations.NullMarked;
