/** Tests of the package. */
@NullMarked
package io.kvmesh.agent.control;

import org.jspecify.annotations.NullMarked;
