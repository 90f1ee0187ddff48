/** What every program of kvmesh shares; knows no framework. */
@NullMarked
package io.kvmesh.common;

import org.jspecify.annotations.NullMarked;
