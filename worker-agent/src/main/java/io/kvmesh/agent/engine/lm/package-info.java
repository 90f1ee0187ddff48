/** The door for LMCache's {@code lm://} connector. */
@NullMarked
package io.kvmesh.agent.engine.lm;

import org.jspecify.annotations.NullMarked;
