package io.tierlimit.autoconfigure.properties;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class ManagementPathTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			                                                                               | /actuator
			management.endpoints.web.base-path=/manage                                     | /manage
			management.endpoints.web.base-path=/manage/                                    | /manage
			management.endpoints.web.base-path=/                                           |
			spring.mvc.servlet.path=/mvc                                                   | /mvc/actuator
			spring.mvc.servlet.path=/                                                      | /actuator
			management.server.port=8080                                                    | /actuator
			management.server.port=8081                                                    |
			management.server.port=-1                                                      |
			management.server.port=0,server.port=0                                         |
			management.server.port=9090,server.port=9090                                   | /actuator
			""")
	void pathIsThePathOfEndpointsOnTheApplicationsPort(String properties, String path) {
		MockEnvironment environment = new MockEnvironment();
		if (properties != null) {
			for (String property : properties.split(",", -1)) {
				environment.setProperty(property.split("=", 2)[0], property.split("=", 2)[1]);
			}
		}
		assertThat(ManagementPath.of(environment)).isEqualTo(path);
	}

}
