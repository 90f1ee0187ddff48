/** The cache of chunks: map, policy and reference counts under one lock. */
@NullMarked
package io.kvmesh.agent.cache;

import org.jspecify.annotations.NullMarked;
