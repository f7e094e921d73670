package io.tierlimit.sample.live;

import io.tierlimit.sample.catalog.Catalog;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;

/**
 * Exports the catalog slowly. The rule {@code live-exports} limits the exports of a user
 * that are in flight, and requires no code: the permit is held until the response is
 * complete.
 */
@RestController
class ExportController {

	private final Catalog catalog;

	private final TaskScheduler scheduler;

	ExportController(Catalog catalog, TaskScheduler scheduler) {
		this.catalog = catalog;
		this.scheduler = scheduler;
	}

	@GetMapping(path = "/live/export", produces = "text/csv")
	ResponseEntity<ResponseBodyEmitter> export() {
		CatalogExport export = new CatalogExport(this.catalog.all(), this.scheduler);
		return ResponseEntity.ok().contentType(MediaType.valueOf("text/csv")).body(export.start());
	}

}
