/** Who holds the longest prefix: a pure function of the index view and the live workers. */
@NullMarked
package io.kvmesh.controller.lookup;

import org.jspecify.annotations.NullMarked;
