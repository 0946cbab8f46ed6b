/** The distributed cache of a job, and the links by which its tasks find the files. */
package io.sluice.local.cache;
