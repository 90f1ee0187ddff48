/** The REST shapes of LMCache's controller, over what this one knows and can do. */
@NullMarked
package io.kvmesh.controller.web.lmcache;

import org.jspecify.annotations.NullMarked;
