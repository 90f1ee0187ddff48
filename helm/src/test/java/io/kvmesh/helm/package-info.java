/** Tests of the chart. */
@NullMarked
package io.kvmesh.helm;

import org.jspecify.annotations.NullMarked;
