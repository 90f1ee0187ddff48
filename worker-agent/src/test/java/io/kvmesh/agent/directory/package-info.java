/** Tests of the package. */
@NullMarked
package io.kvmesh.agent.directory;

import org.jspecify.annotations.NullMarked;
