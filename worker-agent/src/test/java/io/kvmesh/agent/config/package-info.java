/** Tests of the package. */
@NullMarked
package io.kvmesh.agent.config;

import org.jspecify.annotations.NullMarked;
