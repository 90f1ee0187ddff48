/** What the doors have in common that speak to engines over plain TCP. */
@NullMarked
package io.kvmesh.agent.engine.tcp;

import org.jspecify.annotations.NullMarked;
