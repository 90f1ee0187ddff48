/** What every process of kvmesh needs to live on one machine with others. */
@NullMarked
package io.kvmesh.common.process;

import org.jspecify.annotations.NullMarked;
